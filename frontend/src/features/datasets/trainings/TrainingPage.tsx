import { t } from "@lingui/core/macro";
import { useParams } from "react-router";
import { useSession } from "~/api/session";
import type { Training } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import folds from "~/components/Folds.module.css";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { State } from "~/components/State";
import { useTraining } from "./calls";
import { HowTrained } from "./HowTrained";
import { LossCurves } from "./LossCurves";
import { NoWorker } from "./NoWorker";
import { Standing } from "./Standing";
import { WhatNow } from "./WhatNow";
import { isUnderWay } from "./words";

/** One training: what its reader came for in each state, its progress, its loss curves, and how it is done. */
export default function TrainingPage() {
  const { id = "" } = useParams();
  const training = useTraining(id);
  const datasets = { to: "/datasets", label: t`Datasets` };
  if (!training.data) {
    return (
      <Page title={t`Training`} parents={[datasets]}>
        {training.error ? (
          <ErrorNotice
            title={t`The training could not be loaded`}
            error={training.error}
            onRetry={() => void training.refetch()}
          />
        ) : (
          <Loading />
        )}
      </Page>
    );
  }
  const { dataset, dataset_title, model, is_simulated, state } = training.data;
  const at = `/datasets/${dataset}`;
  return (
    <Page
      title={t`Training: ${model}`}
      parents={[
        datasets,
        { to: at, label: dataset_title },
        { to: `${at}/trainings`, label: t`Train systems` },
      ]}
      simulated={is_simulated}
      aside={<State state={state} />}
    >
      <Body key={id} training={training.data} />
    </Page>
  );
}

function Body({ training }: { training: Training }) {
  const mayAct = useSession().data?.user?.can_import ?? false;
  const { state, standing } = training;
  return (
    <>
      <WhatNow training={training} mayAct={mayAct} />
      {/* The command train needs no worker: where something is under way, nothing waits. */}
      {isUnderWay(state) && !standing.worker_alive && standing.under_way.length === 0 && (
        <NoWorker isWaiting />
      )}
      {training.forecast && state !== "ready" && state !== "finished" && (
        <Standing training={training} />
      )}
      {standing.has_curves && <LossCurves training={training} />}
      <div className={folds.folds}>
        <HowTrained training={training} />
      </div>
    </>
  );
}
