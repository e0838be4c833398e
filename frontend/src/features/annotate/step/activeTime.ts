/** After this long without input, the person is assumed to be elsewhere. */
export const IDLE_AFTER_MS = 30_000;

/**
 * Counts the time during which a page was shown (visible, and not paused) and had been used within the last 30 seconds:
 * the definition in docs/data.md. Unobserved time, such as a closed laptop's, counts like any other idle time. It is
 * given times instead of reading a clock, so that tests can simulate them.
 */
export class ActiveTime {
  private total = 0;
  private since: number;
  private lastUse: number;
  private visible: boolean;

  constructor(now: number, visible = true) {
    this.since = now;
    this.lastUse = now;
    this.visible = visible;
  }

  /** A key, the pointer, or scrolling. */
  used(now: number): void {
    this.settle(now);
    this.lastUse = now;
  }

  shown(now: number, visible: boolean): void {
    this.settle(now);
    this.visible = visible;
    if (visible) this.lastUse = now;
  }

  read(now: number): number {
    this.settle(now);
    return Math.round(this.total);
  }

  /** Adds what was active since the last look: up to 30 s after the last use, and only while visible. */
  private settle(now: number): void {
    if (this.visible)
      this.total += Math.max(0, Math.min(now, this.lastUse + IDLE_AFTER_MS) - this.since);
    this.since = now;
  }
}
