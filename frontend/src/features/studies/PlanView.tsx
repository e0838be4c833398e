import type { Plan } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fingerprint } from "~/components/Fingerprint";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { Table } from "~/components/lists/Table";
import { Note } from "~/components/Note";
import { Progress } from "~/components/Progress";
import { Section } from "~/components/Section";
import { counted, moment } from "~/components/words";
import { usePlan } from "./calls";
import { PlanComparisons } from "./PlanComparisons";
import classes from "./PlanView.module.css";

/** The plan: which system gets how many instances and answers, and what each expert has to do. */
export function PlanView({ slug }: { slug: string }) {
  const plan = usePlan(slug);
  return (
    <Section title="Plan">
      {plan.isPending && <Loading />}
      {plan.error && (
        <ErrorNotice
          title="The plan cannot be shown"
          error={plan.error}
          onRetry={() => void plan.refetch()}
        />
      )}
      {plan.data && <PlanTables slug={slug} plan={plan.data} />}
    </Section>
  );
}

function PlanTables({ slug, plan }: { slug: string; plan: Plan }) {
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
          {counted(plan.missing_experts, "expert is", "experts are")} missing before every
          comparison can get its answers.
        </Note>
      )}
      {plan.warnings.map((warning) => (
        <Note key={warning}>{warning}</Note>
      ))}
      {plan.choices.length > 0 && <DisplayChoices choices={plan.choices} />}
      {plan.side_keys.length > 0 && <SideKeys keys={plan.side_keys} />}
      <Fold title={`Numbers of each system (${plan.systems.length})`} rows={plan.systems.length}>
        <Table
          caption="What each system is compared on"
          rows={plan.systems}
          keyOf={(system) => system.name}
          empty="Nothing is planned yet."
          columns={[
            { name: "System", heads: true, cell: (system) => system.name },
            { name: "Instances", numeric: true, cell: (system) => system.instances },
            { name: "Places", numeric: true, cell: (system) => system.places },
            {
              name: "Answers",
              cell: (system) => (
                <Progress
                  label={`Answers for ${system.name}`}
                  done={system.completed}
                  total={system.places}
                />
              ),
            },
          ]}
        />
      </Fold>
      {plan.is_applied && (
        <Fold title="Every comparison" rows={Number.POSITIVE_INFINITY}>
          <PlanComparisons slug={slug} systems={plan.systems.map(({ name }) => name)} />
        </Fold>
      )}
      <Fold title={`Load of each expert (${plan.experts.length})`} rows={plan.experts.length}>
        <Table
          caption="What each expert has to do"
          rows={plan.experts}
          keyOf={(expert) => expert.number}
          empty="No experts yet."
          columns={[
            { name: "Expert", heads: true, cell: (expert) => `Expert ${expert.number}` },
            { name: "Assigned", numeric: true, cell: (expert) => expert.assigned },
            { name: "Done", numeric: true, cell: (expert) => expert.completed },
          ]}
        />
      </Fold>
    </>
  );
}

/** What each way to draw costs and gives away: who plans the study chooses between them. */
function DisplayChoices({ choices }: { choices: Plan["choices"] }) {
  return (
    <Fold title="What drawing costs, and what it gives away" rows={choices.length}>
      <Table
        caption="Points between a drawn bar and the prediction, and how often people’s side is named rightly (chance: 50%)"
        rows={choices}
        keyOf={(choice) => choice.name}
        empty="Nothing is planned yet."
        columns={[
          {
            name: "Bars are drawn in",
            heads: true,
            cell: ({ name, is_chosen }) => (is_chosen ? `${name} (this study)` : name),
          },
          { name: "Off on average", numeric: true, cell: (one) => points(one.distortion.mean) },
          { name: "in 95%", numeric: true, cell: (one) => points(one.distortion.p95) },
          { name: "at most", numeric: true, cell: (one) => points(one.distortion.most) },
          { name: "by over 5", numeric: true, cell: (one) => share(one.distortion.far) },
          { name: "Two sides the same", numeric: true, cell: (one) => one.distortion.identical },
          { name: "Named by the grid", numeric: true, cell: (one) => share(one.by_grid) },
          { name: "Named once learned", numeric: true, cell: (one) => atLeast(one.learned) },
        ]}
      />
    </Fold>
  );
}

/** What whoever wants to check the sides one day notes down before the study ends. */
function SideKeys({ keys }: { keys: Plan["side_keys"] }) {
  return (
    <Fold title="Keys of the sides, to be noted down" rows={keys.length}>
      <Table
        caption="The SHA-256 of each key that says which distribution is A"
        rows={keys}
        keyOf={(key) => key.phase}
        columns={[
          {
            name: "Phase",
            heads: true,
            cell: ({ phase }) => (phase === "main" ? "Main study" : "Pilot"),
          },
          { name: "Since", cell: (key) => moment(key.made_at) },
          { name: "SHA-256", cell: (key) => <Fingerprint sha256={key.sha256} /> },
        ]}
      />
    </Fold>
  );
}

const points = (value: number | null) => (value === null ? "–" : value.toFixed(1));
const share = (value: number | null) => (value === null ? "–" : `${Math.round(value * 100)}%`);
const atLeast = (value: number | null) => (value === null ? "–" : `≥ ${share(value)}`);
