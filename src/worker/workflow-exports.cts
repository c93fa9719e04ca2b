// Part of workflow bundles, never of a program: what a worker with the plugin registers. The bundler finds the user's
// workflows under that name (src/worker/bundler.ts); the key tells a bundle that has ours from one that lacks them.
module.exports = {
  ...require('__holdfast_user_workflows'),
  ...require('../workflows/index.js'),
  'holdfast:workflows': true,
};
