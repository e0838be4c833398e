import { Button } from "@mantine/core";
import { Link } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { counted } from "~/components/words";
import { AnalysisPlanView } from "../AnalysisPlanView";
import { usePlan } from "../calls";
import { PlanView } from "../PlanView";
import { StateButtons } from "../StateButtons";
import { WhatFollows } from "../WhatFollows";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useMakePlan } from "./calls";
import { PlanChoices } from "./PlanChoices";

export function DataStep() {
  const { dataset, systems, is_simulated } = useWorkspaceStudy();
  return (
    <>
      <p>
        The texts come from <strong>{dataset.title}</strong>. A draft keeps its dataset: for another
        one, <Link to="/studies/new">start another study</Link>.
      </p>
      <Facts
        facts={[
          ["Systems with predictions", String(systems.length)],
          ["Data", is_simulated ? "Simulated" : "Real"],
        ]}
      />
    </>
  );
}

export function PeopleStep() {
  const { slug, members } = useWorkspaceStudy();
  const plan = usePlan(slug);
  const experts = members.filter(({ role }) => role === "expert").length;
  const missing = plan.data?.missing_experts ?? 0;
  return (
    <>
      <p>
        <strong>{counted(experts, "expert takes", "experts take")} part.</strong>{" "}
        {missing > 0 &&
          `${counted(missing, "more expert is", "more experts are")} needed before every comparison can get its answers.`}
      </p>
      <p>
        <Link to={`/studies/${slug}/people`}>Invite people, and see who has come</Link>
      </p>
    </>
  );
}

export function AnalysisStep() {
  const { slug } = useWorkspaceStudy();
  return (
    <>
      <p className="soft">
        What you say now that you will compute counts as planned; everything else is exploratory. A
        study may open without a plan.
      </p>
      <PlanChoices slug={slug} />
      <AnalysisPlanView slug={slug} title="What is planned" />
    </>
  );
}

export function CheckStep() {
  const study = useWorkspaceStudy();
  const make = useMakePlan(study.slug);
  const isPlanned = study.counts.comparisons > 0;
  return (
    <>
      <Note>
        Begin with a pilot: a few answers show whether the questions are understood. Try the study
        as an expert before anybody else does.
      </Note>
      <div>
        <Button
          variant={isPlanned ? "default" : "filled"}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          {make.isPending ? "Planning…" : isPlanned ? "Plan anew" : "Make the plan"}
        </Button>
        <p className="soft small">
          Draws which texts every system is shown on. Can be done anew until the study opens, with
          the same seed for the same drawing.
        </p>
      </div>
      {make.error && <ErrorNotice title="No plan was made" error={make.error} />}
      <section aria-labelledby="opening">
        <h3 id="opening">What opening the study means</h3>
        <WhatFollows slug={study.slug} to="open" />
      </section>
      {study.role === "admin" ? (
        <StateButtons study={study} />
      ) : (
        <p className="soft">An admin of this study starts the pilot and opens it.</p>
      )}
      <PlanView slug={study.slug} />
    </>
  );
}
