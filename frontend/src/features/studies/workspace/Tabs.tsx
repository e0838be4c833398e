import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useEffect, useRef } from "react";
import { NavLink, useLocation } from "react-router";
import type { Study } from "~/api/types";
import classes from "./Tabs.module.css";
import { TABS } from "./workspace";

/** The parts of a study as links. On a phone they scroll within themselves, with the open one in view. */
export function Tabs({ study }: { study: Study }) {
  const { t } = useLingui();
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open tab changes with the address
  useEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (nav.current && open) nav.current.scrollLeft = open.offsetLeft - nav.current.offsetLeft - 24;
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={t`This study`} className={classes.tabs}>
      {TABS.map(({ to, name, count }) => {
        const waiting = count?.(study) ?? 0;
        return (
          <NavLink key={to} to={`/studies/${study.slug}${to && `/${to}`}`} end={to === ""}>
            {t(name)}{" "}
            {waiting > 0 && (
              <span className={classes.count}>
                {plural(waiting, { one: "# open", other: "# open" })}
              </span>
            )}
          </NavLink>
        );
      })}
    </nav>
  );
}
