/**
 * Whether tests that take long run, too, as by `npm run test:long`: all others together are to take less than ten minutes
 * on two cores.
 */
export const long = process.env['HOLDFAST_LONG_TESTS'] === '1';
