import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TabClaim } from "./tabs";

type Hold = () => Promise<unknown>;
type Waiting = { hold: Hold; grant: () => void };

/** One browser lock: a queue, and its holder. Exactly what the Web Locks standard says, and no more. */
class FakeLocks {
  private queue: Waiting[] = [];
  private robbed: ((error: Error) => void) | undefined;
  private isHeld = false;

  request = ((_name: string, options: LockOptions, hold: Hold) =>
    new Promise<unknown>((resolve, reject) => {
      const one: Waiting = {
        hold,
        grant: () => {
          this.isHeld = true;
          this.robbed = reject;
          void hold().then((value) => {
            if (this.robbed === reject) this.release();
            resolve(value);
          });
        },
      };
      options.signal?.addEventListener("abort", () => {
        if (!this.queue.includes(one)) return;
        this.queue = this.queue.filter((other) => other !== one);
        reject(new DOMException("", "AbortError"));
      });
      if (options.steal) {
        this.robbed?.(new DOMException("", "AbortError"));
        one.grant();
      } else if (this.isHeld) this.queue.push(one);
      else one.grant();
    })) as unknown as LockManager["request"];

  private release() {
    this.isHeld = false;
    this.robbed = undefined;
    this.queue.shift()?.grant();
  }
}

const claims: TabClaim[] = [];

function tab(parts: ConstructorParameters<typeof TabClaim>[1]): TabClaim {
  const claim = new TabClaim("study", parts);
  claims.push(claim);
  claim.start();
  return claim;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const claim of claims.splice(0)) claim.stop();
  vi.useRealTimers();
});

describe("with locks", () => {
  test("the first tab works, and the second says so only after a moment", async () => {
    const locks = new FakeLocks();
    const [first, second] = [tab({ locks }), tab({ locks })];
    await settled();
    expect([first.state, second.state]).toEqual(["mine", "asking"]);
    await vi.advanceTimersByTimeAsync(500);
    expect([first.state, second.state]).toEqual(["mine", "elsewhere"]);
  });

  test("taking it over tells the other, and closing gives it back", async () => {
    const locks = new FakeLocks();
    const [first, second] = [tab({ locks }), tab({ locks })];
    await vi.advanceTimersByTimeAsync(500);
    second.take();
    await settled();
    expect([first.state, second.state]).toEqual(["elsewhere", "mine"]);
    first.take();
    await settled();
    expect([first.state, second.state]).toEqual(["mine", "elsewhere"]);
    first.stop();
    await settled();
    expect(second.state).toBe("mine");
  });

  test("a reloaded page gets it from its former self without a word", async () => {
    const locks = new FakeLocks();
    const before = tab({ locks });
    await settled();
    const after = tab({ locks });
    const states: string[] = [];
    after.subscribe(() => states.push(after.state));
    await vi.advanceTimersByTimeAsync(100);
    before.stop();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states).toEqual(["mine"]);
  });
});

test("without locks and channels every tab works, and the server refuses contradictions", () => {
  expect([tab({}).state, tab({}).state]).toEqual(["mine", "mine"]);
});
