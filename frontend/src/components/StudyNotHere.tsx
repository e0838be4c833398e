import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ApiError } from "~/api/errors";
import { useFormerStudies } from "~/api/studies";
import { ErrorNotice } from "./ErrorNotice";
import { FormerStudy } from "./FormerStudy";
import { Loading } from "./Loading";
import { Page } from "./Page";

type Props = {
  slug: string;
  error: unknown;
  onRetry: () => void;
  /** What the page is called, and what did not happen, if the person never was part of the study. */
  title: string;
  problem: string;
  /** Shown above it in either case. */
  banner?: ReactNode;
};

/** The server does not hand out the study: the person is no longer part of it, or something else is wrong. */
export function StudyNotHere(props: Props) {
  const isGone = props.error instanceof ApiError && props.error.status === 404;
  return isGone ? <PerhapsFormer {...props} /> : <Problem {...props} />;
}

function PerhapsFormer(props: Props) {
  const { t } = useLingui();
  const former = useFormerStudies();
  const study = former.data?.find(({ slug }) => slug === props.slug);
  if (former.isPending) return <Loading />;
  if (!study) return <Problem {...props} />;
  return (
    <Page
      title={t`Your part in this study has ended`}
      parents={[{ to: "/", label: t`My studies` }]}
      isOutsideTour
    >
      {props.banner}
      <h2>
        <bdi>{study.title}</bdi>
      </h2>
      <FormerStudy study={study} />
    </Page>
  );
}

function Problem({ title, problem, error, onRetry, banner }: Props) {
  const { t } = useLingui();
  return (
    <Page title={title} parents={[{ to: "/", label: t`My studies` }]}>
      {banner}
      <ErrorNotice title={problem} error={error} onRetry={onRetry} />
    </Page>
  );
}
