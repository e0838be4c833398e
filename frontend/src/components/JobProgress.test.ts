import { expect, test } from "vitest";
import { jobInWords } from "./JobProgress";

const progress = { done: 3, total: 10, message: "Reading the data", seconds_left: null };

test("a job that waits says what it waits for, and one that runs how far it is", () => {
  const waits_for = { sentence: "Waiting for a worker. Before it: 3 exports of your own" };
  expect(jobInWords({ state: "queued", progress, waits_for })).toBe(waits_for.sentence);
  expect(jobInWords({ state: "queued", progress, waits_for: null })).not.toBe("");
  const running = jobInWords({ state: "running", progress, waits_for: null });
  expect(running).toContain("30%");
  expect(running).toContain(progress.message);
});
