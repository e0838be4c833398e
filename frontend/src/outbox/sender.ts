import type { Entry } from "./entry";
import { judge, MANY_ATTEMPTS, pause } from "./policy";

/**
 * - `idle`: nothing waits.
 * - `sending`: an answer is on its way.
 * - `waiting`: the last try failed; the next comes by itself, or when something happens.
 * - `signed_out`, `someone_else`: nothing is sent until that has changed.
 */
export type SenderState = "idle" | "sending" | "waiting" | "signed_out" | "someone_else";

export type SenderParts = {
  owner: number;
  /** The first answer that waits. */
  first(): Promise<Entry | undefined>;
  /** Sends it and returns what the server says; throws an ApiError otherwise. */
  send(entry: Entry): Promise<unknown>;
  /** The server acknowledged it. */
  stored(entry: Entry, answer: unknown): Promise<void>;
  /** The server will never take it. */
  refused(entry: Entry, error: unknown): Promise<void>;
  /** The id of who is signed in, if anybody; also renews what protects the requests. Throws when unknown. */
  whoIsThere(): Promise<number | null>;
  /** Runs the work while no other tab does the same. */
  alone(work: () => Promise<void>): Promise<void>;
  changed(state: SenderState): void;
  random?: () => number;
};

/** Sends what waits: in order, one at a time, again after a while when it failed, at once when woken. */
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

  /** The last try failed, or nobody is there to send for: whatever is given now will wait. */
  get isTroubled(): boolean {
    return this.failures > 0 || this.state === "signed_out" || this.state === "someone_else";
  }

  /** Something happened that may make a difference: a new answer, the connection, a look at the page, a login. */
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

  /** Sends until nothing waits (true), or until it makes no sense to go on now (false). */
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
          // Signed in after all, and what protects the requests was renewed: so at once, but only once.
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
