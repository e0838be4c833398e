import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { ErrorNotice } from "../ErrorNotice";
import { Loading } from "../Loading";
import { useDemo, useStepInto } from "./calls";
import classes from "./RoleCards.module.css";
import { roleName, stepInto, whatToSee } from "./roles";

/** The demo's three roles to step into. */
export default function RoleCards() {
  const { t } = useLingui();
  const demo = useDemo();
  const step = useStepInto();
  if (demo.isPending) return <Loading />;
  if (demo.error) {
    return (
      <ErrorNotice
        title={t`The demo's roles could not be loaded`}
        error={demo.error}
        onRetry={() => void demo.refetch()}
      />
    );
  }
  return (
    <section aria-labelledby="demo-roles" className={classes.section}>
      <h2 id="demo-roles">
        <Trans>Step into a role</Trans>
      </h2>
      <p>
        <Trans>
          This is a demo on your own computer, so no password is needed. All answers but yours are
          simulated, and you can step into another role at any time.
        </Trans>
      </p>
      {step.error && <ErrorNotice title={t`You could not step into the role`} error={step.error} />}
      <ul className={classes.roles}>
        {demo.data.roles.map((role) => (
          <li key={role}>
            <h3>{roleName(role)}</h3>
            <p className="soft">{whatToSee(role)}</p>
            <Button onClick={() => step.mutate(role)} disabled={step.isPending}>
              {stepInto(role)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
