/** Why the server will never accept an answer, in its own words. */
export type Refusal = { code: string; detail: string; at: string };

/** What is given to the outbox: one answer, as it will be sent. */
export type Answer = {
  /** The study's slug. */
  study: string;
  /** The assignment's token; empty for answers about the whole study. */
  token: string;
  /** How it is sent to the server: a name in `kinds.ts`. */
  kind: string;
  /** What is sent, without the key. Never the judged text. */
  body: Record<string, unknown>;
  /** What was answered, in the expert's words, in case it has to be shown again. */
  about: string;
};

/** One answer being sent, kept until the server has acknowledged it. */
export type Entry = Answer & {
  /** The key generated in the browser: the server stores the answer once, however often it arrives. */
  id: string;
  /** The user (by the session's id) who gave it. Nobody else may see or send it. */
  owner: number;
  /** When it was given, by this device's clock. Only for display; the server's time is what counts. */
  given: string;
  /** Set once the server has refused it for good. It is then kept for the expert to read, and not sent. */
  refused: Refusal | null;
};
