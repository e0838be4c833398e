import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { putInPlace } from "./query";

test("what was asked before a change does not take the place of what the change was answered with", async () => {
  const client = new QueryClient();
  const queryKey = ["session"];
  let arrive: (value: string) => void = () => {};
  const before = client.fetchQuery({
    queryKey,
    queryFn: () => new Promise<string>((resolve) => (arrive = resolve)),
  });
  await putInPlace(client, queryKey, "signed in");
  arrive("nobody");
  await before.catch(() => {});
  expect(client.getQueryData(queryKey)).toBe("signed in");
});
