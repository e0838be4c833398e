import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Note } from "~/components/Note";
import { Facts } from "~/components/Section";
import { inDigits } from "~/languages/formats";
import { AnalysisPlanView } from "../AnalysisPlanView";
import { useNextStates, usePlan } from "../calls";
import { PlanView } from "../PlanView";
import { StateButtons } from "../StateButtons";
import { WhatFollows } from "../WhatFollows";
import { useWorkspaceStudy } from "../workspace/workspace";
import { useMakePlan } from "./calls";
import { PlanChoices } from "./PlanChoices";

export function DataStep() {
  const { t } = useLingui();
  const { dataset, systems, is_simulated } = useWorkspaceStudy();
  const { title } = dataset;
  return (
    <>
      <p>
        <Trans>
          The texts come from{" "}
          <strong>
            <bdi>{title}</bdi>
          </strong>
          . You cannot change the dataset of a draft; to use another one,{" "}
          <Link to="/studies/new">start another study</Link>.
        </Trans>
      </p>
      <Facts
        facts={[
          [t`Systems with predictions`, inDigits(systems.length)],
          [t`Data`, is_simulated ? t`Simulated` : t`Real`],
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
        <strong>
          <Plural
            value={experts}
            one="# expert is taking part."
            other="# experts are taking part."
          />
        </strong>{" "}
        {missing > 0 &&
          plural(missing, {
            one: "Invite at least # more expert to collect all answers.",
            other: "Invite at least # more experts to collect all answers.",
          })}
      </p>
      <p>
        <Link to={`/studies/${slug}/people`}>
          <Trans>Invite people and see who has joined</Trans>
        </Link>
      </p>
    </>
  );
}

export function AnalysisStep() {
  const { t } = useLingui();
  const { slug } = useWorkspaceStudy();
  return (
    <>
      <p className="soft">
        <Trans>
          Analyses that you choose now count as planned; all others are exploratory. You can open
          the study without a plan.
        </Trans>
      </p>
      <PlanChoices slug={slug} />
      <AnalysisPlanView slug={slug} title={t`Current plan`} />
    </>
  );
}

export function CheckStep() {
  const { t } = useLingui();
  const study = useWorkspaceStudy();
  const make = useMakePlan(study.slug);
  const { isPending } = useNextStates(study.slug);
  const isPlanned = study.counts.comparisons > 0;
  return (
    <>
      <Note>
        <Trans>
          Start with a pilot: a few answers show whether experts understand the questions. Try the
          study as an expert yourself first.
        </Trans>
      </Note>
      <div>
        <Button
          variant={isPlanned ? "default" : "filled"}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          {make.isPending ? t`Planning…` : isPlanned ? t`Create a new plan` : t`Create the plan`}
        </Button>
        <p className="soft small">
          <Trans>
            The plan draws the texts on which each system is compared. You can repeat this until the
            study opens; the same seed draws the same texts.
          </Trans>
        </p>
      </div>
      {make.error && <ErrorNotice title={t`The plan was not created`} error={make.error} />}
      <section aria-labelledby="opening">
        <h3 id="opening">
          <Trans>What happens when you open the study</Trans>
        </h3>
        <WhatFollows slug={study.slug} to="open" />
      </section>
      {study.role === "admin" ? (
        // Not before what is said above: its arrival would move them away from a pointer that presses.
        !isPending && <StateButtons study={study} />
      ) : (
        <p className="soft">
          <Trans>Only an admin of this study can start the pilot and open the study.</Trans>
        </p>
      )}
      <PlanView slug={study.slug} />
    </>
  );
}
