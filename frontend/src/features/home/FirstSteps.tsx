import { Trans } from "@lingui/react/macro";
import { Link } from "react-router";
import type { User } from "~/api/types";
import classes from "./FirstSteps.module.css";

/** First steps for people who run studies, while there is nothing yet. */
export default function FirstSteps({ user }: { user: User }) {
  return (
    <div>
      <p>
        <Trans>There are no studies here yet. There are three ways to begin.</Trans>
      </p>
      <ol className={classes.ways}>
        {user.can_import && (
          <li>
            <h2>
              <Trans>Import a dataset</Trans>
            </h2>
            <p className="soft">
              <Trans>
                Texts labelled by several people, and the predictions of systems for them. Every
                file is checked first. Nothing is saved until you have seen the report.
              </Trans>
            </p>
            <Link to="/imports" className={classes.go}>
              <Trans>Import a dataset</Trans>
            </Link>
          </li>
        )}
        {user.can_create_studies && (
          <li>
            <h2>
              <Trans>Start a study</Trans>
            </h2>
            <p className="soft">
              <Trans>
                You need a dataset with predictions. Every step has a safe default, and experts see
                nothing until you open the study.
              </Trans>
            </p>
            <Link to="/studies/new" className={classes.go}>
              <Trans>Start a study</Trans>
            </Link>
          </li>
        )}
        <li>
          <h2>
            <Trans>Look at the demo</Trans>
          </h2>
          <p className="soft">
            <Trans>
              A finished study with simulated answers. It is not loaded on this server yet. The
              person who runs the server can load it with <code>python manage.py load_demo</code>.
            </Trans>
          </p>
        </li>
      </ol>
    </div>
  );
}
