import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "~/api/errors";
import type { Entry } from "./entry";
import { Sender, type SenderParts } from "./sender";

const OWNER = 7;
const offline = new ApiError(0, "offline", "");
const closed = new ApiError(409, "not_accepting", "");
const signedOut = new ApiError(403, "not_authenticated", "");
const forged = new ApiError(403, "permission_denied", "CSRF Failed");

function entry(id: string): Entry {
  const given = "2026-11-20T14:03:00Z";
  return {
    id,
    owner: OWNER,
    study: "s",
    token: "t",
    kind: "labels",
    body: {},
    about: "",
    given,
    refused: null,
  };
}

/** A sender whose server responds as the test says: an error is thrown, anything else is the response. */
function play(
  ids: string[],
  says: (id: string, attempt: number) => unknown,
  who: () => number | null = () => OWNER,
) {
  const queue = ids.map(entry);
  const log: string[] = [];
  const tries = new Map<string, number>();
  const leave = async (one: Entry) => void queue.splice(queue.indexOf(one), 1);
  const parts: SenderParts = {
    owner: OWNER,
    first: async () => queue[0],
    send: async ({ id }) => {
      const attempt = (tries.get(id) ?? 0) + 1;
      tries.set(id, attempt);
      log.push(`send ${id}`);
      const answer = says(id, attempt);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    stored: async (one) => {
      log.push(`stored ${one.id}`);
      await leave(one);
    },
    refused: async (one) => {
      log.push(`refused ${one.id}`);
      await leave(one);
    },
    whoIsThere: async () => {
      log.push("who");
      return who();
    },
    alone: (work) => work(),
    changed: () => {},
    random: () => 1,
  };
  return { sender: new Sender(parts), log, queue };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("sending", () => {
  test("in order, one at a time", async () => {
    const { sender, log } = play(["a", "b"], () => "ok");
    sender.wake();
    await settled();
    expect(log).toEqual(["send a", "stored a", "send b", "stored b"]);
    expect(sender.state).toBe("idle");
  });

  test("what fails is tried again after a growing pause, and nothing overtakes it", async () => {
    const { sender, log } = play(["a", "b"], (id, attempt) =>
      id === "a" && attempt < 4 ? offline : "ok",
    );
    sender.wake();
    await settled();
    expect(sender.state).toBe("waiting");
    expect(sender.isTroubled).toBe(true);
    await vi.advanceTimersByTimeAsync(999);
    expect(log).toEqual(["send a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["send a", "send a"]);
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(log.slice(3)).toEqual(["send a", "stored a", "send b", "stored b"]);
    expect(sender.isTroubled).toBe(false);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(log).toHaveLength(7);
  });

  test("whatever may make a difference tries at once", async () => {
    let isBack = false;
    const { sender, log } = play(["a"], () => (isBack ? "ok" : offline));
    sender.wake();
    await vi.advanceTimersByTimeAsync(100_000);
    isBack = true;
    const before = log.length;
    sender.wake();
    await settled();
    expect(log.slice(before)).toEqual(["send a", "stored a"]);
  });

  test("waking while something is sent neither doubles it nor is lost", async () => {
    const { sender, log, queue } = play(["a"], (id, attempt) => {
      if (id === "a" && attempt === 1) {
        queue.push(entry("b"));
        sender.wake();
        sender.wake();
      }
      return "ok";
    });
    sender.wake();
    await settled();
    expect(log).toEqual(["send a", "stored a", "send b", "stored b"]);
  });

  test("what will never be taken is set aside and does not block the rest", async () => {
    const { sender, log } = play(["a", "b"], (id) => (id === "a" ? closed : "ok"));
    sender.wake();
    await settled();
    expect(log).toEqual(["send a", "refused a", "send b", "stored b"]);
  });

  test("a stopped sender sends no more", async () => {
    const { sender, log } = play(["a"], () => offline);
    sender.wake();
    await settled();
    sender.stop();
    sender.wake();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(log).toEqual(["send a"]);
  });
});

describe("who is there", () => {
  test("without anybody nothing more is sent until somebody signs in", async () => {
    let person: number | null = null;
    const { sender, log } = play(
      ["a"],
      () => (person ? "ok" : signedOut),
      () => person,
    );
    sender.wake();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(log).toEqual(["send a", "who"]);
    expect(sender.state).toBe("signed_out");
    expect(sender.isTroubled).toBe(true);
    person = OWNER;
    sender.wake();
    await settled();
    expect(log).toEqual(["send a", "who", "send a", "stored a"]);
  });

  test("with somebody else nothing is sent, and nothing is thrown away", async () => {
    const { sender, log, queue } = play(
      ["a"],
      () => signedOut,
      () => 8,
    );
    sender.wake();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(sender.state).toBe("someone_else");
    expect(log).toEqual(["send a", "who"]);
    expect(queue).toHaveLength(1);
  });

  test("with the owner there the protection was renewed, and the answer goes at once", async () => {
    const { sender, log } = play(["a"], (_, attempt) => (attempt === 1 ? forged : "ok"));
    sender.wake();
    await settled();
    expect(log).toEqual(["send a", "who", "send a", "stored a"]);
  });

  test("a door that stays closed to the owner is tried with patience, and not for ever", async () => {
    const { sender, log } = play(["a"], () => forged);
    sender.wake();
    await settled();
    expect(log.filter((line) => line === "send a")).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(log.at(-1)).toBe("refused a");
  });

  test("when that cannot be asked, it is tried again later", async () => {
    const { sender } = play(
      ["a"],
      () => signedOut,
      () => {
        throw offline;
      },
    );
    sender.wake();
    await settled();
    expect(sender.state).toBe("waiting");
  });
});
