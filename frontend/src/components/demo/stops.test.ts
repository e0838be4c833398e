import { describe, expect, it } from "vitest";
import type { Demo } from "./calls";
import { stopAt, stopsOf } from "./stops";

const demo: Demo = {
  roles: ["expert", "researcher", "admin"],
  stepped_into: "admin",
  study: "demo",
  title: "Demo",
  dataset: "texts",
};

describe("the demo's tour", () => {
  it("has three to five stops in every role, and says something about each", () => {
    for (const role of demo.roles) {
      const stops = stopsOf(role, demo, true);
      expect(stops.length).toBeGreaterThanOrEqual(3);
      expect(stops.length).toBeLessThanOrEqual(5);
      for (const { title, sentence } of stops) expect(title && sentence).toBeTruthy();
    }
  });

  it("does not send to the server's pages whoever does not run the server", () => {
    const addresses = stopsOf("admin", demo, false).map(({ to }) => to);
    expect(addresses.some((to) => to?.startsWith("/system"))).toBe(false);
  });

  it("knows at which stop one stands", () => {
    const stops = stopsOf("researcher", demo, false);
    const titleAt = (pathname: string) => stops[stopAt(stops, pathname)]?.to;
    expect(titleAt("/studies/demo")).toBe("/studies/demo");
    expect(titleAt("/studies/demo/results/metric_agreement/1")).toBe("/studies/demo/results");
    expect(titleAt("/datasets/texts/texts/4")).toBe("/datasets/texts");
    expect(titleAt("/studies/demonstration")).toBeUndefined();
    expect(titleAt("/account")).toBeUndefined();
  });
});
