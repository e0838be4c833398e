import { afterEach, describe, expect, it, vi } from "vitest";
import { again, fetchProven } from "./again";

const REFUSED = { code: "sign_in_again", detail: "Please confirm first that it is you." };

/** A server that wants a proof until it was given. */
function server() {
  const bodies: string[] = [];
  const proven = { is: false };
  vi.stubGlobal("fetch", async (request: Request) => {
    bodies.push(await request.text());
    return proven.is
      ? Response.json({ secret: "made" }, { status: 201 })
      : Response.json(REFUSED, { status: 403 });
  });
  return { bodies, proven };
}

function act(path = "/api/v1/tokens/") {
  const headers = { "Content-Type": "application/json" };
  return new Request(`http://localhost${path}`, { method: "POST", headers, body: '{"name":"a"}' });
}

let stop = () => {};
afterEach(() => {
  stop();
  stop = () => {};
  vi.unstubAllGlobals();
});

describe("an act that takes a proof of who one is", () => {
  it("is repeated as it was once the person has given it, and so are others that wait", async () => {
    const { bodies, proven } = server();
    const listener = vi.fn();
    stop = again.subscribe(listener);
    const acts = [fetchProven(act()), fetchProven(act())];
    await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(2)); // both wait
    proven.is = true;
    again.answer(true);
    for (const one of await Promise.all(acts)) expect(one.status).toBe(201);
    expect(bodies).toEqual(Array(4).fill('{"name":"a"}'));
    expect(again.isAsked()).toBe(false);
  });

  it("is refused, with what the server said, if they do not, or nobody can ask them", async () => {
    const { bodies } = server();
    expect((await fetchProven(act())).status).toBe(403);
    stop = again.subscribe(() => {});
    const asked = fetchProven(act());
    await vi.waitFor(() => expect(again.isAsked()).toBe(true));
    again.answer(false);
    expect(await (await asked).json()).toEqual(REFUSED);
    expect(bodies).toHaveLength(2);
  });

  it("does not wait for a dialog that is gone, nor is the proof itself asked for one", async () => {
    server();
    stop = again.subscribe(() => {});
    expect((await fetchProven(act("/api/v1/session/again/"))).status).toBe(403);
    const asked = fetchProven(act());
    await vi.waitFor(() => expect(again.isAsked()).toBe(true));
    stop();
    expect((await asked).status).toBe(403);
  });
});
