import { Link, useParams } from "react-router";
import { useAnalysisPlan } from "~/api/analysisPlan";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Fold } from "~/components/Fold";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { Progress } from "~/components/Progress";
import { Facts, Section } from "~/components/Section";
import { State } from "~/components/State";
import { counted } from "~/components/words";
import { AnalysisPlanView } from "./AnalysisPlanView";
import { usePlan, useStudy } from "./calls";
import { Documents } from "./Documents";
import { ExportList } from "./ExportList";
import { Inviting } from "./Inviting";
import { MembersTable } from "./MembersTable";
import { PlanView } from "./PlanView";
import { StateButtons } from "./StateButtons";
import classes from "./StudyPage.module.css";

const HOME = { to: "/", label: "My studies" };

/** What a study is, how far it is, and the ways to its plan, its answers and its analyses. */
export default function StudyPage() {
  const { slug = "" } = useParams();
  const study = useStudy(slug);
  // Asked for beside the study, and what follows them waits: it would move away under a hand that is about to click.
  const plans = [usePlan(slug), useAnalysisPlan(slug)];
  const isPlanned = plans.every((plan) => !plan.isPending);
  if (study.error) {
    return (
      <Page title="Study" parents={[HOME]}>
        <ErrorNotice
          title="The study cannot be shown"
          error={study.error}
          onRetry={() => void study.refetch()}
        />
      </Page>
    );
  }
  if (!study.data) return <Loading />;
  return <Overview study={study.data} isPlanned={isPlanned} />;
}

function Overview({ study, isPlanned }: { study: Study; isPlanned: boolean }) {
  const { counts } = study;
  return (
    <Page
      title={study.title}
      parents={[HOME]}
      simulated={study.is_simulated}
      aside={<State state={study.state} />}
    >
      <nav aria-label="This study" className={classes.ways}>
        <Link to={`/studies/${study.slug}/analyses`}>Analyses</Link>
        <Link to={`/studies/${study.slug}/reports`}>
          Reported problems
          {counts.open_reports > 0 && ` (${counts.open_reports} open)`}
        </Link>
        <Link to={`/studies/${study.slug}/events`}>Event log</Link>
        <a href="#exports">Exports</a>
        <a href="#documents">Report and bundle</a>
      </nav>
      <Section title="Progress">
        <Progress
          label="Answers collected"
          done={counts.completed}
          total={counts.places}
          text={`${counts.completed.toLocaleString("en-GB")} of ${counted(counts.places, "answer")} collected`}
        />
        <StateButtons study={study} />
        <Facts facts={factsOf(study)} />
      </Section>
      <PlanView slug={study.slug} />
      <AnalysisPlanView slug={study.slug} />
      {isPlanned && <PeopleAndFiles study={study} />}
    </Page>
  );
}

/** Who takes part, and what there is to take away. */
function PeopleAndFiles({ study }: { study: Study }) {
  return (
    <>
      <Section title="People">
        <Inviting study={study} />
        <SimulatedMembers members={study.members.filter((member) => member.is_simulated)} />
      </Section>
      <Section
        title="Exports"
        id="exports"
        aside={<Link to="/tokens">API tokens, for scripts and notebooks</Link>}
      >
        <ExportList slug={study.slug} />
      </Section>
      <Section title="Report and bundle" id="documents">
        <Documents slug={study.slug} />
      </Section>
    </>
  );
}

function SimulatedMembers({ members }: { members: Study["members"] }) {
  if (members.length === 0) return null;
  return (
    <Fold title={`Simulated experts (${members.length})`} rows={members.length}>
      <MembersTable members={members} />
    </Fold>
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
