/** Why the server will never take an answer, in its own words. */
export type Refusal = { code: string; detail: string; at: string };

/** What is asked of the outbox: one answer, as it will be sent. */
export type Answer = {
  /** The study's slug. */
  study: string;
  /** The assignment's token; empty for what belongs to the whole study. */
  token: string;
  /** Which way it goes to the server: a name in `kinds.ts`. */
  kind: string;
  /** What is sent, without the key. Never the text that was judged. */
  body: Record<string, unknown>;
  /** What was answered, in the expert's words, should it have to be shown again. */
  about: string;
};

/** One answer on its way, kept until the server acknowledged it. */
export type Entry = Answer & {
  /** The key made in the browser: the server stores it once, however often it comes. */
  id: string;
  /** The user (by the session's id) who gave it. Nobody else may see or send it. */
  owner: number;
  /** When it was given, by this device's clock. Only for people; the server's time is what counts. */
  given: string;
  /** Set once the server has said no for good. It is then kept for the expert to read, and not sent. */
  refused: Refusal | null;
};
