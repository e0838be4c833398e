import type { Entry } from "./entry";
import { judge, MANY_ATTEMPTS, pause } from "./policy";

/**
 * - `idle`: nothing waits.
 * - `sending`: an answer is being sent.
 * - `waiting`: the last attempt failed; the next follows by itself, or when something happens.
 * - `signed_out`, `someone_else`: nothing is sent until that has changed.
 */
export type SenderState = "idle" | "sending" | "waiting" | "signed_out" | "someone_else";

export type SenderParts = {
  owner: number;
  /** The first waiting answer. */
  first(): Promise<Entry | undefined>;
  /** Sends it and returns the server's response, or throws an ApiError. */
  send(entry: Entry): Promise<unknown>;
  /** The server acknowledged it. */
  stored(entry: Entry, answer: unknown): Promise<void>;
  /** The server will never accept it. */
  refused(entry: Entry, error: unknown): Promise<void>;
  /** The id of the person signed in, if any; also renews the protection of requests. Throws if unknown. */
  whoIsThere(): Promise<number | null>;
  /** Runs the work while no other tab does. */
  alone(work: () => Promise<void>): Promise<void>;
  changed(state: SenderState): void;
  random?: () => number;
};

/** Sends waiting answers in order, one at a time; retries after a while if it failed, at once if woken. */
export class Sender {
  state: SenderState = "idle";
  private readonly parts: SenderParts;
  private readonly attempts = new Map<string, number>();
  private failures = 0;
  private isRunning = false;
  private isWoken = false;
  private isStopped = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  /** Whether the last attempt failed or nobody is signed in to send for, so that new answers will wait. */
  get isTroubled(): boolean {
    return this.failures > 0 || this.state === "signed_out" || this.state === "someone_else";
  }

  /** Something happened that may help: a new answer, a connection, the page became visible, a login. */
  wake(): void {
    this.isWoken = true;
    if (!this.isRunning && !this.isStopped) void this.run();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    clearTimeout(this.timer);
    let isDone = true;
    while (this.isWoken && !this.isStopped) {
      this.isWoken = false;
      try {
        await this.parts.alone(async () => {
          isDone = await this.drain();
        });
      } catch {
        isDone = this.later();
      }
    }
    this.isRunning = false;
    if (!isDone && !this.isStopped && this.state === "waiting") {
      this.timer = setTimeout(() => this.wake(), pause(this.failures, this.parts.random));
    }
  }

  /** Sends until nothing is waiting (true), or until continuing makes no sense for now (false). */
  private async drain(): Promise<boolean> {
    let renewed: string | undefined;
    while (!this.isStopped) {
      const entry = await this.parts.first();
      if (!entry) {
        this.failures = 0;
        this.set("idle");
        return true;
      }
      this.set("sending");
      const attempts = (this.attempts.get(entry.id) ?? 0) + 1;
      this.attempts.set(entry.id, attempts);
      let answer: unknown;
      try {
        answer = await this.parts.send(entry);
      } catch (error) {
        const verdict = judge(error, attempts);
        if (verdict === "later") return this.later();
        if (verdict === "who") {
          if (!(await this.isOwnerThere())) return false;
          // Signed in after all, and the protection of requests was renewed: so retry at once, but only once.
          if (renewed !== entry.id) {
            renewed = entry.id;
            continue;
          }
          if (attempts < MANY_ATTEMPTS) return this.later();
        }
        this.failures = 0;
        await this.parts.refused(entry, error);
        continue;
      }
      this.failures = 0;
      await this.parts.stored(entry, answer);
    }
    return false;
  }

  private async isOwnerThere(): Promise<boolean> {
    let person: number | null;
    try {
      person = await this.parts.whoIsThere();
    } catch {
      return this.later();
    }
    if (person === this.parts.owner) return true;
    return this.set(person === null ? "signed_out" : "someone_else");
  }

  private later(): false {
    this.failures += 1;
    return this.set("waiting");
  }

  private set(state: SenderState): false {
    this.state = state;
    this.parts.changed(state);
    return false;
  }
}
