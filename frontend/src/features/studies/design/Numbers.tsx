import { useDebouncedValue } from "@mantine/hooks";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { usePower, useSetupNumbers } from "./calls";
import { PowerPicture } from "./PowerPicture";

/** While somebody types, not every digit is asked about. */
const PAUSE_MS = 300;

type Props = { slug: string; instances: number; experts: number };

/** What these numbers mean for the experts, and whether the study would find its answer. */
export function Numbers({ slug, instances, experts }: Props) {
  const [typed] = useDebouncedValue(
    { instances_per_system: instances, experts_per_comparison: experts },
    PAUSE_MS,
  );
  const numbers = useSetupNumbers(slug, typed);
  const power = usePower(slug, typed);
  if (numbers.error) {
    return <ErrorNotice title="The numbers cannot be computed" error={numbers.error} />;
  }
  if (!numbers.data) return <Loading />;
  return (
    <>
      <div role="status">
        <p>
          <strong>{numbers.data.sentence}</strong>
        </p>
        {power.data && <p>{power.data.sentence}</p>}
      </div>
      <p className="soft small">{numbers.data.pace.sentence}</p>
      {numbers.data.warnings.map((warning) => (
        <Note key={warning}>{warning}</Note>
      ))}
      <PowerPicture slug={slug} tried={typed} />
      {power.data && (
        <details>
          <summary>The same in numbers</summary>
          <Table
            caption={`Chance that a metric that follows experts at r = ${power.data.correlation} is found`}
            showCaption
            rows={power.data.by_instances}
            keyOf={(point) => point.instances_per_system}
            columns={[
              {
                name: "Texts for each system",
                heads: true,
                cell: (point) => point.instances_per_system,
              },
              {
                name: "Found in",
                numeric: true,
                cell: (point) => `${Math.round(100 * point.power)}%`,
              },
            ]}
          />
          <p className="soft small">{power.data.method}</p>
        </details>
      )}
    </>
  );
}
