/** Calls `report` at once, then at most once in `ms`, the last time after the last call. Nothing more after `stop`. */
export function throttled(ms: number, report: () => void): { call(): void; stop(): void } {
  let last = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const reportNow = () => {
    timer = undefined;
    last = performance.now();
    report();
  };
  return {
    call() {
      if (timer !== undefined) return;
      const wait = last + ms - performance.now();
      if (wait <= 0) reportNow();
      else timer = setTimeout(reportNow, wait);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
