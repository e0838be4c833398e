import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Plan } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Progress } from "~/components/Progress";
import { Section } from "~/components/Section";
import { inDigits, moment, NOTHING, percent } from "~/languages/formats";
import { usePlan } from "./calls";
import { PlanComparisons } from "./PlanComparisons";
import classes from "./PlanView.module.css";

/** The plan: which system gets how many instances and answers, and what each expert has to do. */
export function PlanView({ slug }: { slug: string }) {
  const { t } = useLingui();
  const plan = usePlan(slug);
  return (
    <Section title={t`Plan`}>
      {plan.isPending && <Loading />}
      {plan.error && (
        <ErrorNotice
          title={t`The plan could not be loaded`}
          error={plan.error}
          onRetry={() => void plan.refetch()}
        />
      )}
      {plan.data && <PlanTables slug={slug} plan={plan.data} />}
    </Section>
  );
}

function PlanTables({ slug, plan }: { slug: string; plan: Plan }) {
  const { t } = useLingui();
  const systems = inDigits(plan.systems.length);
  const experts = inDigits(plan.experts.length);
  return (
    <>
      {plan.statement
        .split("\n")
        .filter(Boolean)
        .map((line) => (
          <p key={line} className={classes.statement}>
            {line}
          </p>
        ))}

      {plan.missing_experts > 0 && (
        <Note>
          {plural(plan.missing_experts, {
            one: "Invite at least # more expert to collect all answers.",
            other: "Invite at least # more experts to collect all answers.",
          })}
        </Note>
      )}
      {plan.warnings.map((warning) => (
        <Note key={warning}>{warning}</Note>
      ))}
      {plan.choices.length > 0 && <DisplayChoices choices={plan.choices} />}
      {plan.side_keys.length > 0 && <SideKeys keys={plan.side_keys} />}
      <Fold title={t`Texts and answers per system (${systems})`} rows={plan.systems.length}>
        <Table
          caption={t`Texts and answers per system`}
          rows={plan.systems}
          keyOf={(system) => system.name}
          empty={t`Nothing is planned yet.`}
          columns={[
            { name: t`System`, heads: true, cell: (system) => <bdi>{system.name}</bdi> },
            { name: t`Texts`, numeric: true, cell: (system) => inDigits(system.instances) },
            { name: t`Places`, numeric: true, cell: (system) => inDigits(system.places) },
            {
              name: t`Answers`,
              cell: ({ name, completed, places }) => (
                <Progress label={t`Answers for ${name}`} done={completed} total={places} />
              ),
            },
          ]}
        />
      </Fold>
      {plan.is_applied && (
        <Fold title={t`All comparisons`} rows={Number.POSITIVE_INFINITY}>
          <PlanComparisons slug={slug} systems={plan.systems.map(({ name }) => name)} />
        </Fold>
      )}
      <Fold title={t`Workload per expert (${experts})`} rows={plan.experts.length}>
        <Table
          caption={t`Workload per expert`}
          rows={plan.experts}
          keyOf={(expert) => expert.number}
          empty={t`No experts yet.`}
          columns={[
            { name: t`Expert`, heads: true, cell: ({ number }) => t`Expert ${number}` },
            { name: t`Assigned`, numeric: true, cell: (expert) => inDigits(expert.assigned) },
            {
              name: t({ message: "Done", context: "column" }),
              numeric: true,
              cell: (expert) => inDigits(expert.completed),
            },
          ]}
        />
      </Fold>
    </>
  );
}

/** What each way of rounding costs and reveals, for the person planning the study to choose from. */
function DisplayChoices({ choices }: { choices: Plan["choices"] }) {
  const { t } = useLingui();
  const most = percent(0.95);
  const chance = percent(0.5);
  return (
    <Fold title={t`What rounding costs, and what it gives away`} rows={choices.length}>
      <Table
        caption={t`How many percentage points drawn bars are from the prediction, and how often one could guess the human side (chance: ${chance})`}
        rows={choices}
        keyOf={(choice) => choice.name}
        empty={t`Nothing is planned yet.`}
        columns={[
          {
            name: t`Bars are rounded to`,
            heads: true,
            cell: ({ name, is_chosen }) => (
              <>
                {name} {is_chosen && t`(this study)`}
              </>
            ),
          },
          {
            name: t`Off by, on average`,
            numeric: true,
            cell: (one) => points(one.distortion.mean),
          },
          {
            name: t`Off by, in ${most} of cases`,
            numeric: true,
            cell: (one) => points(one.distortion.p95),
          },
          { name: t`Off by, at most`, numeric: true, cell: (one) => points(one.distortion.most) },
          { name: t`Off by more than 5`, numeric: true, cell: (one) => share(one.distortion.far) },
          {
            name: t`Identical sides`,
            numeric: true,
            cell: (one) => inDigits(one.distortion.identical),
          },
          { name: t`Guessed from the numbers`, numeric: true, cell: (one) => share(one.by_grid) },
          { name: t`Guessed after learning`, numeric: true, cell: (one) => atLeast(one.learned) },
        ]}
      />
    </Fold>
  );
}

/** What to note down before the study ends in order to verify the sides later. */
function SideKeys({ keys }: { keys: Plan["side_keys"] }) {
  const { t } = useLingui();
  return (
    <Fold title={t`Side keys: write these down to check the sides later`} rows={keys.length}>
      <Table
        caption={t`The SHA-256 of each key that decides which side is A`}
        rows={keys}
        keyOf={(key) => key.phase}
        columns={[
          {
            name: t`Phase`,
            heads: true,
            cell: ({ phase }) => (phase === "main" ? t`Main study` : t`Pilot`),
          },
          { name: t`Since`, cell: (key) => moment(key.made_at) },
          { name: "SHA-256", cell: (key) => <Fingerprint sha256={key.sha256} /> },
        ]}
      />
    </Fold>
  );
}

const points = (value: number | null) =>
  value === null
    ? NOTHING
    : inDigits(value, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const share = (value: number | null) => (value === null ? NOTHING : percent(value));
const atLeast = (value: number | null) => (value === null ? NOTHING : `≥ ${share(value)}`);
