import { useAnalysisPlan } from "~/api/analysisPlan";
import type { Study } from "~/api/types";
import { Facts, Section } from "~/components/Section";
import { AnalysisPlanView } from "../AnalysisPlanView";
import { usePlan } from "../calls";
import { PlanView } from "../PlanView";
import { WhileItRuns } from "../running/WhileItRuns";
import { TryIt } from "../TryIt";
import { useWorkspaceStudy } from "../workspace/workspace";
import { CopyStudy } from "./ending/CopyStudy";
import { PutAway } from "./ending/PutAway";
import { Setup } from "./Setup";

/** What the study asks, of whom, and what it will compute: while it is a draft to be set up, and later to be read. */
export default function DesignTab() {
  const study = useWorkspaceStudy();
  return (
    <>
      {study.state === "draft" ? <Setup study={study} /> : <Design study={study} />}
      <CopyStudy study={study} />
      <PutAway study={study} />
    </>
  );
}

function Design({ study }: { study: Study }) {
  // What can be clicked does not come before what would push it away.
  const plans = [usePlan(study.slug), useAnalysisPlan(study.slug)];
  const isPlanned = plans.every((plan) => !plan.isPending);
  return (
    <>
      <Section title="Set-up" aside={<TryIt slug={study.slug} />}>
        <Facts facts={factsOf(study)} />
      </Section>
      {isPlanned && study.role === "admin" && study.state !== "closed" && (
        <WhileItRuns study={study} />
      )}
      <PlanView slug={study.slug} />
      {isPlanned && <AnalysisPlanView slug={study.slug} />}
    </>
  );
}

function factsOf(study: Study): [string, string][] {
  return [
    ["Dataset", study.dataset.title],
    ["Compares", study.compares === "human_vs_system" ? "People with a system" : "Two systems"],
    ["Systems", String(study.systems.length)],
    [
      "Runs of one model and method",
      study.runs === "averaged" ? "Averaged" : "Each a system of its own",
    ],
    ["Instances per system", String(study.instances_per_system)],
    ["Experts per comparison", String(study.experts_per_comparison)],
    ["Texts that each expert answers twice", String(study.repeats_per_expert)],
    [
      "Assigning",
      study.assigning === "named" ? "Given to each expert by name" : "From an open pool",
    ],
    ["Shown are shares above", String(study.display_threshold)],
    [
      "Shown shares are rounded to",
      study.display_mode === "grid"
        ? "what a text’s people can give"
        : study.display_mode === "exact"
          ? "whole percentages"
          : String(study.display_step),
    ],
    [
      "Texts on which a system gives itself away",
      study.give_aways === "redraw" ? "Others are drawn instead" : "Kept and counted",
    ],
    ["Asked at the end", study.asks_guess ? "Which side was people’s" : "Nothing"],
    ["Seed", String(study.seed)],
  ];
}
