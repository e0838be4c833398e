// @vitest-environment node
import { expect, test } from "vitest";
import { leftOut } from "./leftOut";

const texts = (source: string) => leftOut(source).map(({ text }) => text);

test("text on a page is asked for, also between values, and what is read out or shown beside it", () => {
  expect(texts("<p>One text</p>")).toEqual(["One text"]);
  expect(texts("<p>About {minutes} left</p>")).toEqual(["About", "left"]);
  expect(texts('<button title="undo" aria-label="Undo it">{icon}</button>')).toEqual([
    "undo",
    "Undo it",
  ]);
  expect(texts('<b>{open ? "fold" : "unfold"}</b>')).toEqual(["fold", "unfold"]);
});

test("sentences in the code are asked for wherever they are: properties, returns, templates", () => {
  expect(texts('const columns = [{ name: "Last used" }, { label: "any" }]')).toEqual([
    "Last used",
    "any",
  ]);
  expect(texts('function inWords() { return "Not yet"; }')).toEqual(["Not yet"]);
  expect(texts(["const said = `The first $", "{n} are shown`"].join(""))).toEqual([
    "The first · are shown",
  ]);
});

test("what is in a macro is translated, but not the attributes inside of one", () => {
  expect(texts("<Trans>One <b>text</b></Trans>")).toEqual([]);
  expect(texts('<Plural value={n} one="# text" other="# texts" />')).toEqual([]);
  expect(texts("const said = t`Not yet`; const other = msg`Not yet`")).toEqual([]);
  expect(texts('plural(n, { one: "# text", other: "# texts" })')).toEqual([]);
  expect(texts('<Trans>One <a title="More of it">text</a></Trans>')).toEqual(["More of it"]);
});

test("what only programs read is left alone", () => {
  expect(texts('import { a } from "Some Where"; type State = "Not yet";')).toEqual([]);
  expect(texts('<p className="soft small" data-state="Not yet" />')).toEqual([]);
  expect(texts('if (key === "Not yet") throw new Error("Outside of it")')).toEqual([]);
  expect(texts('const code = "Not yet"; /* not words */')).toEqual([]);
});

test("an element in a language of its own is not for translation", () => {
  expect(texts('<p lang="en">As it was said</p>')).toEqual([]);
  expect(texts("<p lang={text.language}>As it was said</p>")).toEqual(["As it was said"]);
});

test("a macro that is imported by another name is a macro, and what a request does is no text", () => {
  const imported = 'import { t as say } from "@lingui/core/macro";';
  expect(texts(`${imported} const told = say\`Some words\`;`)).toEqual([]);
  expect(texts("const told = say`Some words`;")).toEqual(["Some words"]);
  expect(texts('act({ what: "give", title: "Give it" });')).toEqual(["Give it"]);
  expect(texts('<Job what="Give it" />')).toEqual(["Give it"]);
});
