import { Trans, useLingui } from "@lingui/react/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { inDigits, percent } from "~/languages/formats";
import { usePower, useSetupNumbers } from "./calls";
import { PowerPicture } from "./PowerPicture";

/** While somebody types, not every digit triggers a request. */
const PAUSE_MS = 300;

type Props = { slug: string; instances: number; experts: number };

/** What these numbers mean for the experts, and the study's chance of finding its answer. */
export function Numbers({ slug, instances, experts }: Props) {
  const { t } = useLingui();
  const [typed] = useDebouncedValue(
    { instances_per_system: instances, experts_per_comparison: experts },
    PAUSE_MS,
  );
  const numbers = useSetupNumbers(slug, typed);
  const power = usePower(slug, typed);
  if (numbers.error) {
    return <ErrorNotice title={t`The numbers could not be computed`} error={numbers.error} />;
  }
  if (!numbers.data) return <Loading />;
  const correlation = power.data && inDigits(power.data.correlation);
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
          <summary>
            <Trans>As a table</Trans>
          </summary>
          <Table
            caption={t`Power: chance of detecting a metric that correlates with experts at r = ${correlation}`}
            showCaption
            rows={power.data.by_instances}
            keyOf={(point) => point.instances_per_system}
            columns={[
              {
                name: t`Texts per system`,
                heads: true,
                cell: (point) => inDigits(point.instances_per_system),
              },
              { name: t`Power`, numeric: true, cell: (point) => percent(point.power) },
            ]}
          />
          <p className="soft small">{power.data.method}</p>
        </details>
      )}
    </>
  );
}
