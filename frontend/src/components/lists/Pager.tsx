import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import classes from "./Pager.module.css";

type Props = {
  page: number;
  isLast: boolean;
  onPage: (page: number) => void;
  /** How many pages or rows there are, in words; after the page's number. */
  says?: string;
  /** Lists in the order of time say newer and older. */
  names?: readonly [string, string];
};

/** From page to page of a list; nothing where one page holds all. */
export function Pager({ page, isLast, onPage, says, names = [t`Previous`, t`Next`] }: Props) {
  if (page === 1 && isLast) return null;
  return (
    <nav className={classes.pager} aria-label={t`Pages`}>
      <Button variant="default" disabled={page === 1} onClick={() => onPage(page - 1)}>
        {names[0]}
      </Button>
      <span className="soft small">
        <Trans>Page {page}</Trans>
        {says}
      </span>
      <Button variant="default" disabled={isLast} onClick={() => onPage(page + 1)}>
        {names[1]}
      </Button>
    </nav>
  );
}
