import type { Run } from "~/api/types";

export function ResultView({ result }: { result: Run["result"] }) {
  return <pre>{JSON.stringify(result, null, 2)}</pre>;
}
