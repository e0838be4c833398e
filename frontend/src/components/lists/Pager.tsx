import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { inDigits } from "~/languages/formats";
import classes from "./Pager.module.css";

type Props = {
  page: number;
  isLast: boolean;
  onPage: (page: number) => void;
  /** How many pages there are, if known. */
  pages?: number;
  /** How many rows there are, as a phrase such as "25 comparisons". */
  says?: string;
  /** Lists that start with the newest say newer and older. */
  isByTime?: boolean;
};

/** Moves between a list's pages; nothing if there is only one. */
export function Pager({ page, isLast, onPage, pages, says, isByTime = false }: Props) {
  const { t } = useLingui();
  if (page === 1 && isLast) return null;
  const here = inDigits(page);
  const all = pages === undefined ? "" : inDigits(pages);
  return (
    <nav className={classes.pager} aria-label={t`Pages`}>
      <Button variant="default" disabled={page === 1} onClick={() => onPage(page - 1)}>
        {isByTime ? <Trans>Newer</Trans> : <Trans>Previous</Trans>}
      </Button>
      <span className="soft small">
        {all ? t`Page ${here} of ${all}` : t`Page ${here}`}
        {says && ` · ${says}`}
      </span>
      <Button variant="default" disabled={isLast} onClick={() => onPage(page + 1)}>
        {isByTime ? <Trans>Older</Trans> : <Trans>Next</Trans>}
      </Button>
    </nav>
  );
}
