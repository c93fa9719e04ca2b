import { errorText } from '../../shared/wire-text.js';
import { type Check, type Finding, failed, none, ok } from './check.js';
import { measureServerSpeed, type ServerPlace, type ServerSpeed } from './server-speed.js';

const POLLING = 'history.transferProcessorMaxPollRPS';
const TIMERS = 'history.timerProcessorMaxTimeShift';

/** How fast a Temporal server is, and what to set: two lines of the doctor's report, of one measurement. */
export function serverSpeedChecks(place: ServerPlace): Check[] {
  let measured: Promise<ServerSpeed> | undefined;
  const check = (name: string, judge: (speed: ServerSpeed) => Finding): Check => ({
    name,
    async run() {
      try {
        measured ??= measureServerSpeed(place);
        return judge(await measured);
      } catch (error) {
        return failed(errorText(error));
      }
    },
  });
  return [
    check('iterations', (speed) => iterations(speed, place)),
    check('retries', (speed) => retries(speed, place)),
  ];
}

function iterations(speed: ServerSpeed, place: ServerPlace): Finding {
  const { iterationMs, waitMs, throttled, busy } = speed;
  const says = `An iteration takes ${Math.round(iterationMs)} ms beside the model and the tools.`;
  const finding = ok(says, speed);
  if (busy) {
    const advice = 'The server or this machine is busy: measure again when less goes on.';
    return { ...finding, status: 'none', advice };
  }
  if (!throttled) return finding;
  return {
    ...finding,
    status: 'none',
    says: `${says} Of them ${Math.round(waitMs)} ms are spent waiting for the server to look for new tasks.`,
    advice: adviceFor(place, POLLING, '2000'),
  };
}

function retries({ retryLateMs, lateTimers }: ServerSpeed, place: ServerPlace): Finding {
  const says = `A retry starts ${Math.round(retryLateMs)} ms late.`;
  return lateTimers ? none(says, adviceFor(place, TIMERS, '10ms')) : ok(says);
}

function adviceFor({ address }: ServerPlace, key: string, value: string): string {
  if (/\.(?:tmprl\.cloud|temporal\.io)(?::\d+)?$/.test(address)) {
    return `On a server of your own one would set ${key} to ${value}; ask Temporal Cloud's support.`;
  }
  return (
    `Set ${key} to ${value} in the server's dynamic configuration (docs/deploy.md); ` +
    `for a development server: temporal server start-dev --dynamic-config-value '${key}=${JSON.stringify(jsonOf(value))}'`
  );
}

function jsonOf(value: string): string | number {
  return /^\d+$/.test(value) ? Number(value) : value;
}
