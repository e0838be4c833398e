import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Section } from "~/components/Section";
import { SimulatedMark } from "~/components/SimulatedMark";
import { decimals } from "~/languages/formats";
import { CompareMethods } from "./CompareMethods";
import { useDeleteSystem, useSystems } from "./calls";
import { useLoadedDataset } from "./DatasetLayout";
import { DeleteDialog } from "./DeleteDialog";

/** The systems with their main metrics, best first. */
export default function SystemsTab() {
  const dataset = useLoadedDataset();
  const systems = useSystems(dataset.slug);
  const [going, setGoing] = useState<string | null>(null);
  const remove = useDeleteSystem(dataset.slug);
  if (systems.error) {
    return <ErrorNotice title={t`The systems could not be loaded`} error={systems.error} />;
  }
  if (!systems.data) return <Loading />;
  const { metrics } = systems.data;
  const [first] = metrics;
  const also = dataset.predicted_annotations.map(({ name }) => name).join("; ");
  return (
    <Section title={t`Systems`}>
      <CompareMethods dataset={dataset} />
      {first && systems.data.systems.length > 0 && (
        <p>
          <Trans>
            Sorted by {first.title}, best first. Metrics use the exact predictions, on the texts
            that each system predicts.
          </Trans>
        </p>
      )}
      <Table
        caption={t`Systems and their main metrics`}
        rows={systems.data.systems}
        keyOf={({ name }) => name}
        empty={t`No system predicts these texts yet. Import predictions to compare them with people.`}
        columns={[
          {
            name: t`System`,
            heads: true,
            cell: ({ name, is_simulated, missing }) => (
              <>
                {name} {is_simulated && <SimulatedMark />}
                {missing > 0 && (
                  <span className="soft small">
                    ({plural(missing, { one: "# text missing", other: "# texts missing" })})
                  </span>
                )}
              </>
            ),
          },
          ...metrics.map((metric) => ({
            name: `${metric.title} ${metric.orientation === "higher" ? "↑" : "↓"}`,
            numeric: true,
            cell: (row: (typeof systems.data.systems)[number]) =>
              scoreInWords(row.metrics[metric.name]),
          })),
          {
            name: t`Texts`,
            cell: ({ name }) => (
              <Link
                to={`/datasets/${dataset.slug}?${new URLSearchParams({ order: "worst", system: name })}`}
                aria-label={t`Worst texts for ${name}`}
              >
                <Trans>Worst texts</Trans>
              </Link>
            ),
          },
          ...(dataset.may_delete
            ? [
                {
                  name: t`Delete`,
                  cell: ({ name }: { name: string }) => (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      aria-label={t`Delete ${name}`}
                      onClick={() => setGoing(name)}
                    >
                      <Trans>Delete…</Trans>
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {dataset.predicted_annotations.length > 0 && (
        <p className="soft">
          <Trans>Systems that also predict individual annotations: {also}.</Trans>
        </p>
      )}
      <DeleteDialog
        opened={going !== null}
        title={t`Delete ${going ?? ""}`}
        goes={t`This deletes its predictions and all analyses of this dataset. The system can be imported again from its files. A system that a study compares cannot be deleted.`}
        change={remove}
        onGo={() => going && remove.mutate(going, { onSuccess: () => setGoing(null) })}
        onClose={() => setGoing(null)}
      />
    </Section>
  );
}

function scoreInWords(score: number | null | undefined): string {
  return score === null || score === undefined ? t`undefined` : decimals(score, 3);
}
