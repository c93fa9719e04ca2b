export type WorkerConfig = {
  address: string;
  taskQueue: string;
  modelUrl: string;
  /** Where the report goes, and what is too big for Temporal. */
  folder: string;
  /** Of the naive loop's workflow; without it, the worker is Holdfast's. */
  bundlePath?: string;
  /** What the model is sent of a turn, at most. */
  maxContextBytes?: number;
  iterationsPerRun?: number;
  /** False: an activity runs in any worker, not rather in the one that has its workflow. Default true. */
  eager?: boolean;
};

/** What a worker's process took, written down when it has drained. */
export type WorkerReport = {
  pid: number;
  maxRssMb: number;
  /** After the last turn and a garbage collection. */
  settledRssMb: number;
  /** How reads of transcripts went. `bytes`: of the pages that were queried. */
  transcripts: { hits: number; misses: number; pages: number; bytes?: number };
};
