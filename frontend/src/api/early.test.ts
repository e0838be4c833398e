// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { fetchOrEarly } from "./early";

const address = `${location.origin}/api/v1/session/`;

afterEach(() => {
  window.early = undefined as never;
  vi.unstubAllGlobals();
});

function withFetch(): ReturnType<typeof vi.fn> {
  const fetched = vi.fn(() => Promise.resolve(new Response("late")));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

async function asked(method = "GET"): Promise<string> {
  return (await fetchOrEarly(new Request(address, { method }))).text();
}

test("an early answer is taken once, and then the server is asked", async () => {
  const fetched = withFetch();
  window.early = new Map([["GET /api/v1/session/", Promise.resolve(new Response("early"))]]);
  expect(await asked()).toBe("early");
  expect(fetched).not.toHaveBeenCalled();
  expect(await asked()).toBe("late");
});

test("another method or an early failure is asked for as usual", async () => {
  withFetch();
  window.early = new Map([["POST /api/v1/session/", Promise.resolve(new Response("early"))]]);
  expect(await asked("GET")).toBe("late");
  window.early = new Map([["GET /api/v1/session/", Promise.resolve(null)]]);
  expect(await asked()).toBe("late");
  window.early = new Map([
    ["GET /api/v1/session/", Promise.resolve(new Response("no", { status: 403 }))],
  ]);
  expect(await asked()).toBe("late");
});

test("without early answers it is fetch", async () => {
  withFetch();
  expect(await asked()).toBe("late");
});
