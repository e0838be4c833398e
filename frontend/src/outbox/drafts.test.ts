// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import { Drafts, type Place } from "./drafts";

const place: Place = { owner: 1, study: "areas", token: "t", step: 1 };
const draft = { entered: [0, 3], active_ms: 4_200 };

beforeEach(() => localStorage.clear());

test("a draft outlives the page, with the time so far", () => {
  new Drafts().keep(place, draft);
  expect(new Drafts().read(place)).toEqual(draft);
});

test("it belongs to one person, one assignment and one step", () => {
  const drafts = new Drafts();
  drafts.keep(place, draft);
  for (const other of [{ owner: 2 }, { token: "u" }, { step: 2 }, { study: "b" }])
    expect(drafts.read({ ...place, ...other })).toBeNull();
});

test("forgetting reaches exactly what is meant", () => {
  const drafts = new Drafts();
  const places: Place[] = [
    place,
    { ...place, token: "u" },
    { ...place, step: 2 },
    { ...place, owner: 11 },
  ];
  for (const one of places) drafts.keep(one, draft);
  drafts.forget({ owner: 1, study: "areas" }, ["u"]);
  expect(places.map((one) => drafts.read(one) !== null)).toEqual([false, true, false, true]);
  drafts.forget({ owner: 1 });
  expect(places.map((one) => drafts.read(one) !== null)).toEqual([false, false, false, true]);
});

test("where the device keeps nothing it lives as long as the page", () => {
  const drafts = new Drafts(() => {
    throw new DOMException("", "SecurityError");
  });
  drafts.keep(place, draft);
  expect(drafts.read(place)).toEqual(draft);
  drafts.forget({ owner: 1 });
  expect(drafts.read(place)).toBeNull();
});

test("what is not a draft is none", () => {
  localStorage.setItem("hlv:draft:1/areas/t/1", "{broken");
  expect(new Drafts().read(place)).toBeNull();
  localStorage.setItem("hlv:draft:1/areas/t/1", "[]");
  expect(new Drafts().read(place)).toBeNull();
});
