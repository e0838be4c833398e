import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pausing } from "../frame/pausing";
import { useActiveTime } from "./useActiveTime";

let root: Root;
let read: () => number;
let hidden = false;

function Step({ before }: { before?: number }) {
  read = useActiveTime(before);
  return null;
}

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
  root = createRoot(document.createElement("div"));
});

afterEach(() => {
  act(() => root.unmount());
  pausing.set(false);
  hidden = false;
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function pass(seconds: number) {
  vi.advanceTimersByTime(seconds * 1_000);
}

function open(before?: number) {
  act(() => root.render(before === undefined ? <Step /> : <Step before={before} />));
}

test("a pause stands still, and goes on where it stopped", () => {
  open();
  pass(10);
  pausing.set(true);
  pass(600);
  window.dispatchEvent(new Event("pointermove"));
  pass(5);
  pausing.set(false);
  pass(7);
  expect(read()).toBe(17_000);
});

test("another tab stands still as well, also during a pause", () => {
  open();
  pass(3);
  pausing.set(true);
  hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  pass(60);
  hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  pass(60);
  pausing.set(false);
  pass(1);
  expect(read()).toBe(4_000);
});

test("only signs of life keep it going for longer than 30 seconds", () => {
  open();
  pass(29);
  window.dispatchEvent(new Event("keydown"));
  pass(29);
  window.dispatchEvent(new Event("scroll"));
  pass(300);
  expect(read()).toBe(88_000);
});

test("a step that was left goes on from the time that it had", () => {
  open(42_000);
  pass(2);
  expect(read()).toBe(44_000);
});
