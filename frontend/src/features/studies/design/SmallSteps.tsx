import { Link } from "react-router";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { counted } from "~/components/words";
import { AnalysisPlanView } from "../AnalysisPlanView";
import { usePlan } from "../calls";
import { PlanView } from "../PlanView";
import { StateButtons } from "../StateButtons";
import { useWorkspaceStudy } from "../workspace/workspace";

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
      <AnalysisPlanView slug={slug} />
    </>
  );
}

export function CheckStep() {
  const study = useWorkspaceStudy();
  return (
    <>
      <Note>
        Begin with a pilot: a few answers show whether the questions are understood. Opening fixes
        what is compared, what is asked, and the analysis plan; people can be invited at any time.
      </Note>
      <PlanView slug={study.slug} />
      {study.role === "admin" ? (
        <StateButtons study={study} />
      ) : (
        <p className="soft">An admin of this study starts the pilot and opens it.</p>
      )}
    </>
  );
}
