import "fake-indexeddb/auto";
import { deleteDB } from "idb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "~/api/errors";
import type { Answer, Entry } from "./entry";
import { Outbox, type OutboxParts } from "./outbox";
import { openDeviceStore, type Store } from "./store";

const OWNER = 7;
const NAME = "test";
const offline = new ApiError(0, "offline", "");
const answer = (token: string, labels: number[] = [1]): Answer => ({
  study: "areas",
  token,
  kind: "labels",
  body: { labels, active_ms: 10 },
  about: "Text 1",
});

/** A server that can be cut off, and remembers every key it has stored. */
class Server {
  isReachable = true;
  losesAcknowledgements = false;
  says: unknown = null;
  readonly stored = new Map<string, unknown>();
  readonly received: Entry[] = [];

  send = async (entry: Entry) => {
    if (!this.isReachable) throw offline;
    this.received.push(entry);
    if (this.says instanceof Error) throw this.says;
    this.stored.set(entry.id, entry.body);
    if (this.losesAcknowledgements) throw offline;
    return { saved_at: "14:03" };
  };
}

const opened: Outbox[] = [];

function visit(server: Server, changes: Partial<OutboxParts> = {}): Outbox {
  const outbox = new Outbox({
    owner: OWNER,
    open: () => openDeviceStore(NAME),
    send: server.send,
    whoIsThere: async () => OWNER,
    alone: (work) => work(),
    random: () => 0,
    ...changes,
  });
  opened.push(outbox);
  void outbox.start();
  return outbox;
}

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 3_000, interval: 5 });
const kept = async (owner = OWNER) => {
  const store = await openDeviceStore(NAME);
  const all = await store.all(owner);
  store.close();
  return all;
};

let server: Server;
beforeEach(() => {
  server = new Server();
});
afterEach(async () => {
  for (const outbox of opened.splice(0)) outbox.stop();
  await deleteDB(NAME);
});

describe("an answer", () => {
  test("is on the device before it is sent, and gone only once it was acknowledged", async () => {
    const seen: number[] = [];
    const outbox = visit(server, {
      send: async (entry) => {
        seen.push((await kept()).length);
        return server.send(entry);
      },
    });
    await outbox.add(answer("t"));
    await until(() => expect(outbox.snapshot().waiting).toEqual([]));
    expect(seen).toEqual([1]);
    await until(async () => expect(await kept()).toEqual([]));
  });

  test("survives a reload, and is sent under the same key", async () => {
    server.isReachable = false;
    const before = visit(server);
    const { id } = await before.add(answer("t"));
    before.stop();
    server.isReachable = true;
    const after = visit(server);
    await until(() => expect(server.stored.has(id)).toBe(true));
    expect(after.snapshot().waiting).toEqual([]);
  });

  test("whose acknowledgement was lost is sent again under the same key", async () => {
    server.losesAcknowledgements = true;
    const outbox = visit(server);
    await outbox.add(answer("t"));
    await until(() => expect(outbox.snapshot().isTroubled).toBe(true));
    expect(outbox.snapshot().waiting).toHaveLength(1);
    server.losesAcknowledgements = false;
    outbox.wake();
    await until(() => expect(outbox.snapshot().waiting).toEqual([]));
    expect(server.received).toHaveLength(2);
    expect(server.stored.size).toBe(1);
  });

  test("given twice at once is one entry; another answer is another", async () => {
    server.isReachable = false;
    const outbox = visit(server);
    const [one, same] = await Promise.all([
      outbox.add(answer("t")),
      outbox.add({ ...answer("t"), body: { labels: [1], active_ms: 99 } }),
    ]);
    const other = await outbox.add(answer("t", [2]));
    expect(same.id).toBe(one.id);
    expect(other.id).not.toBe(one.id);
    expect(outbox.snapshot().waiting).toHaveLength(2);
  });

  test("is seen by whoever listens, with what the server said", async () => {
    const outbox = visit(server);
    const heard: unknown[] = [];
    outbox.onStored((entry, said) => heard.push([entry.token, said]));
    await outbox.add(answer("t"));
    await until(() => expect(heard).toEqual([["t", { saved_at: "14:03" }]]));
  });
});

describe("people", () => {
  test("somebody else on the same device neither sees nor sends what waits", async () => {
    server.isReachable = false;
    const mine = visit(server);
    await mine.add(answer("t"));
    mine.stop();
    server.isReachable = true;
    const theirs = visit(server, { owner: 8, whoIsThere: async () => 8 });
    await until(() => expect(theirs.snapshot().isReady).toBe(true));
    await theirs.add(answer("u"));
    await until(() => expect(server.stored.size).toBe(1));
    expect(server.received.map((entry) => [entry.owner, entry.token])).toEqual([[8, "u"]]);
    expect(await kept()).toHaveLength(1);
  });
});

describe("a refused answer", () => {
  const refusal = new ApiError(
    409,
    "not_accepting",
    "The study is not accepting answers at the moment.",
  );

  test("is kept with the reason over a reload, until it is put away", async () => {
    server.says = refusal;
    const outbox = visit(server);
    await outbox.add(answer("t"));
    await until(() => expect(outbox.snapshot().refused).toHaveLength(1));
    outbox.stop();
    server.says = null;
    const again = visit(server);
    await until(() => expect(again.snapshot().refused).toHaveLength(1));
    const [entry] = again.snapshot().refused;
    expect(entry?.refused?.detail).toBe("The study is not accepting answers at the moment.");
    expect(server.received).toHaveLength(1);
    await again.dismiss(entry?.id ?? "");
    expect(again.snapshot().refused).toEqual([]);
    await until(async () => expect(await kept()).toEqual([]));
  });

  test("can be sent again", async () => {
    server.says = refusal;
    const outbox = visit(server);
    const { id } = await outbox.add(answer("t"));
    await until(() => expect(outbox.snapshot().refused).toHaveLength(1));
    server.says = null;
    await outbox.sendAgain(id);
    await until(() => expect(server.stored.has(id)).toBe(true));
    expect(outbox.snapshot().refused).toEqual([]);
  });

  test("that is still waiting cannot be put away", async () => {
    server.isReachable = false;
    const outbox = visit(server);
    const { id } = await outbox.add(answer("t"));
    await outbox.dismiss(id);
    expect(outbox.snapshot().waiting).toHaveLength(1);
  });
});

describe("a device that keeps nothing", () => {
  test("the page keeps and sends, and does not claim more", async () => {
    server.isReachable = false;
    const outbox = visit(server, {
      open: () => Promise.reject(new DOMException("", "SecurityError")),
    });
    await outbox.add(answer("t"));
    expect(outbox.snapshot()).toMatchObject({ keeps: false });
    expect(outbox.snapshot().waiting).toHaveLength(1);
    server.isReachable = true;
    outbox.wake();
    await until(() => expect(server.stored.size).toBe(1));
    expect(outbox.snapshot().waiting).toEqual([]);
  });

  test("a full one is the same, and is believed again once there is room", async () => {
    let isFull = true;
    const open = async (): Promise<Store> => {
      const store = await openDeviceStore(NAME);
      const add = (entry: Entry) =>
        isFull ? Promise.reject(new DOMException("", "QuotaExceededError")) : store.add(entry);
      return Object.assign(Object.create(store), {
        add,
        all: store.all.bind(store),
        remove: store.remove.bind(store),
      });
    };
    server.isReachable = false;
    const outbox = visit(server, { open });
    await outbox.add(answer("t"));
    expect(outbox.snapshot().keeps).toBe(false);
    isFull = false;
    await outbox.add(answer("u"));
    expect(outbox.snapshot().keeps).toBe(false); // the first is still in memory only
    server.isReachable = true;
    outbox.wake();
    await until(() => expect(outbox.snapshot().waiting).toEqual([]));
    expect(outbox.snapshot().keeps).toBe(true);
    expect(server.stored.size).toBe(2);
  });
});

describe("two tabs of one person", () => {
  const channels = () => {
    const ends = [new BroadcastChannel(NAME), new BroadcastChannel(NAME)];
    return ends as [BroadcastChannel, BroadcastChannel];
  };

  test("what one has sent the other no longer waits for, and it says so", async () => {
    const [here, there] = channels();
    server.isReachable = false;
    const one = visit(server, { channel: here });
    await one.add(answer("t"));
    const other = visit(new Server(), { channel: there });
    const heard: string[] = [];
    one.onStored((entry, said) => heard.push(`${entry.token} ${said}`));
    await until(() => expect(one.snapshot().waiting).toEqual([]));
    expect(heard).toEqual(["t undefined"]);
    expect(other.snapshot().waiting).toEqual([]);
  });

  test("what one has added or set aside the other shows as well", async () => {
    const [here, there] = channels();
    server.isReachable = false;
    const one = visit(server, { channel: here });
    const other = visit(server, { channel: there });
    await until(() => expect(other.snapshot().isReady).toBe(true));
    await one.add(answer("t"));
    await until(() => expect(other.snapshot().waiting).toHaveLength(1));
    server.isReachable = true;
    server.says = new ApiError(409, "step_locked", "");
    one.wake();
    await until(() => expect(other.snapshot().refused).toHaveLength(1));
    expect(other.snapshot().waiting).toEqual([]);
  });
});
