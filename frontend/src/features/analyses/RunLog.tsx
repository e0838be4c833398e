import type { Run } from "~/api/types";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { moment } from "~/components/words";

/** What happened to a run, line by line. */
export function RunLog({ lines }: { lines: Run["log"] }) {
  if (lines.length === 0) return null;
  return (
    <Section title="Log">
      <Table
        caption="What happened to this run"
        rows={lines}
        keyOf={(_, index) => index}
        columns={[
          { name: "When", cell: ({ at }) => <time dateTime={at}>{moment(at)}</time> },
          { name: "What", heads: true, cell: ({ text }) => text },
        ]}
      />
    </Section>
  );
}
