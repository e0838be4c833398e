import { t } from "@lingui/core/macro";
import { Link } from "react-router";
import { useSession } from "~/api/session";
import type { Result, Run } from "~/api/types";
import { isolated } from "~/languages/bidi";

type Props = { run: Run; result: Result };

/** From the systems' scores to a study in which experts compare the same systems: one link for each dataset. */
export function PlanStudy({ run, result }: Props) {
  const mayCreate = useSession().data?.user?.can_create_studies ?? false;
  if (!mayCreate || run.analysis !== "system_scores" || run.study) return null;
  const { slug, title, datasets } = result.subject;
  const about = datasets ?? (slug === null ? [] : [{ slug, title }]);
  return about.map((one) => {
    const title = isolated(one.title);
    return (
      <Link key={one.slug} to={`/studies/new?${new URLSearchParams({ dataset: one.slug ?? "" })}`}>
        {about.length > 1
          ? t`Plan a study of the systems on ${title}`
          : t`Plan a study of these systems`}
      </Link>
    );
  });
}
