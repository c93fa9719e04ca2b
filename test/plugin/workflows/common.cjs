const { runTurn } = require('holdfast/workflows');

exports.turn = async (options) => await runTurn(options);
