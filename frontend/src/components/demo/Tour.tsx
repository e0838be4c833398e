import { Trans, useLingui } from "@lingui/react/macro";
import { useLocalStorage } from "@mantine/hooks";
import { Link, useLocation } from "react-router";
import { useDemo } from "./calls";
import { whoOneIs } from "./roles";
import { type Stop, stopAt, stopsOf } from "./stops";
import classes from "./Tour.module.css";

/** One role's tour: all stops on its first page, and one line on the pages it leads to. */
export default function Tour({ mayRunServer }: { mayRunServer: boolean }) {
  const { t } = useLingui();
  const { pathname } = useLocation();
  const demo = useDemo().data;
  const role = demo?.stepped_into;
  const [isHidden, setHidden] = useLocalStorage({
    key: `hlv:demo:${role}:hidden`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  // Somebody who signed in with their own account has no role here, but can step into one.
  if (!demo) return null;
  const stops = role ? stopsOf(role, demo, mayRunServer) : [];
  const isWhole = pathname === "/" || (role === "expert" && pathname.endsWith("/annotate"));
  return (
    <aside aria-label={t`Tour of the demo`} className={classes.tour}>
      <div className={classes.head}>
        <strong>{role ? whoOneIs(role) : t`This is a demo.`}</strong>
        <span className={classes.ways}>
          <Link to="/demo">
            <Trans>Step into another role</Trans>
          </Link>
          {stops.length > 0 && (
            <button
              type="button"
              className="linklike"
              aria-expanded={!isHidden}
              onClick={() => setHidden(!isHidden)}
            >
              {isHidden ? t`Show the tour` : t`Hide the tour`}
            </button>
          )}
        </span>
      </div>
      {stops.length > 0 &&
        !isHidden &&
        (isWhole ? <Whole stops={stops} /> : <Line stops={stops} />)}
    </aside>
  );
}

function Whole({ stops }: { stops: Stop[] }) {
  const { pathname } = useLocation();
  return (
    <ol className={classes.stops}>
      {stops.map(({ title, sentence, to }) => (
        <li key={title}>
          {to && to !== pathname ? <Link to={to}>{title}</Link> : <strong>{title}</strong>}{" "}
          <span className="soft">{sentence}</span>
        </li>
      ))}
    </ol>
  );
}

function Line({ stops }: { stops: Stop[] }) {
  const at = stopAt(stops, useLocation().pathname);
  const here = stops[at];
  return (
    <>
      <ol className={classes.line}>
        {stops.map(({ title, to }, place) => (
          <li key={title}>
            {to ? (
              <Link to={to} aria-current={place === at ? "step" : undefined}>
                {title}
              </Link>
            ) : (
              title
            )}
          </li>
        ))}
      </ol>
      {here && <p className="soft">{here.sentence}</p>}
    </>
  );
}
