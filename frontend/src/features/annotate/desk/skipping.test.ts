import { expect, test } from "vitest";
import type { Entry } from "~/outbox/entry";
import { justSkipped } from "./skipping";

const entry = (kind: string, body: Record<string, unknown> = {}): Entry => ({
  id: kind,
  owner: 1,
  study: "areas",
  token: "one",
  kind,
  body,
  about: "",
  given: "2027-01-04T10:00:00Z",
  refused: null,
});
const skip = entry("report", { skip: true });

test("a skip is told as what it is: being saved, waiting, saved", () => {
  expect(justSkipped([], [skip], false)).toBe("saving");
  expect(justSkipped([], [skip], true)).toBe("waits");
  expect(justSkipped([skip], [], false)).toBe("saved");
});

test("it is told until the next answer, and not of a report that skips nothing", () => {
  expect(justSkipped([skip], [entry("labels")], false)).toBeNull();
  expect(justSkipped([skip, entry("labels")], [], false)).toBeNull();
  expect(justSkipped([entry("labels"), skip], [], false)).toBe("saved");
  expect(justSkipped([entry("report", { skip: false })], [], false)).toBeNull();
  expect(justSkipped([], [], false)).toBeNull();
});
