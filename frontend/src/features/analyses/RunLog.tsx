import { t } from "@lingui/core/macro";
import type { Run } from "~/api/types";
import { AsStored } from "~/components/AsStored";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { moment } from "~/components/words";

/** What happened to a run, line by line. */
export function RunLog({ lines }: { lines: Run["log"] }) {
  if (lines.length === 0) return null;
  return (
    <Section title={t`Log`}>
      <Table
        caption={t`What happened to this run`}
        rows={lines}
        keyOf={(_, index) => index}
        columns={[
          { name: t`When`, cell: ({ at }) => <time dateTime={at}>{moment(at)}</time> },
          { name: t`What`, heads: true, cell: ({ text }) => <AsStored inline>{text}</AsStored> },
        ]}
      />
    </Section>
  );
}
