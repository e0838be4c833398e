import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { Link, useNavigate } from "react-router";
import { useSession } from "~/api/session";
import type { Dataset } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { BASELINE, useCompareMethods } from "./calls";
import classes from "./Datasets.module.css";

type Props = {
  dataset: Dataset;
  /** Whether this is what a reader of the page does next. */
  isMain?: boolean;
};

/** What can be done with the systems: compare their methods with majority vote, and plan a study of them. */
export function CompareMethods({ dataset, isMain = false }: Props) {
  const compare = useCompareMethods(dataset.slug);
  const navigate = useNavigate();
  const mayCreate = useSession().data?.user?.can_create_studies ?? false;
  const methods = new Set(dataset.systems.map(({ method }) => method).filter(Boolean));
  const canCompare = methods.size > 1 && methods.has(BASELINE);
  if (!canCompare && (!mayCreate || dataset.systems.length === 0)) return null;
  return (
    <>
      <div className={classes.acts}>
        {canCompare && (
          <Button
            variant={isMain ? "filled" : "default"}
            onClick={() =>
              !compare.isPending &&
              compare.mutate(undefined, { onSuccess: ({ id }) => void navigate(`/runs/${id}`) })
            }
          >
            {compare.isPending ? t`Starting…` : t`Compare the methods`}
          </Button>
        )}
        {mayCreate && dataset.systems.length > 0 && (
          <Link to={`/studies/new?${new URLSearchParams({ dataset: dataset.slug })}`}>
            <Trans>Plan a study of these systems</Trans>
          </Link>
        )}
      </div>
      {compare.error && (
        <ErrorNotice title={t`The analysis was not started`} error={compare.error} />
      )}
    </>
  );
}
