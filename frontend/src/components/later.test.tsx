// @vitest-environment jsdom
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fetchLater, later } from "./later";

// The words of later parts come out of a catalogue, which is the build's.
vi.mock("~/languages/catalogues", () => ({ fetchLaterWords: async () => {} }));

const place = document.createElement("div");
const Here = () => <b>here</b>;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers();
  root = createRoot(place);
});

afterEach(() => {
  act(() => root.unmount());
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a part is fetched when it is rendered, again and again until the network is back", async () => {
  let isOnline = false;
  const fetchPart = vi.fn(async () => {
    if (!isOnline) throw new TypeError("Failed to fetch");
    return Here;
  });
  const Part = later(fetchPart, <i>soon</i>);
  await act(async () => root.render(<Part />));
  await act(async () => vi.advanceTimersByTimeAsync(10_000));
  expect(place.innerHTML).toBe("<i>soon</i>");
  expect(fetchPart.mock.calls.length).toBeGreaterThan(2);
  isOnline = true;
  await act(async () => vi.advanceTimersByTimeAsync(10_000));
  expect(place.innerHTML).toBe("<b>here</b>");
});

test("a part that was fetched before is there at once, and is fetched once", async () => {
  const fetchPart = vi.fn(async () => Here);
  const Part = later(fetchPart, <i>soon</i>);
  fetchLater();
  fetchLater();
  await vi.advanceTimersByTimeAsync(0);
  act(() => root.render(<Part />));
  expect(place.innerHTML).toBe("<b>here</b>");
  expect(fetchPart).toHaveBeenCalledTimes(1);
});
