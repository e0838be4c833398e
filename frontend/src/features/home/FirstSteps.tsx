import { Link } from "react-router";
import type { User } from "~/api/types";
import classes from "./FirstSteps.module.css";

/** What somebody can begin with who runs studies here, while there is nothing yet. In English, as all such pages. */
export default function FirstSteps({ user }: { user: User }) {
  return (
    <div lang="en" dir="ltr">
      <p>There is no study here yet. You can begin in three ways.</p>
      <ol className={classes.ways}>
        {user.can_import && (
          <li>
            <h2>Import a dataset</h2>
            <p className="soft">
              Texts that several people labelled, and what systems predict for them. Every file is
              checked first, and nothing is stored before you have seen the report.
            </p>
            <Link to="/imports" className={classes.go}>
              Import a dataset
            </Link>
          </li>
        )}
        {user.can_create_studies && (
          <li>
            <h2>Start a study</h2>
            <p className="soft">
              Needs a dataset with predictions. Every step has a safe default, and nothing is shown
              to experts before you open it.
            </p>
            <Link to="/studies/new" className={classes.go}>
              Start a study
            </Link>
          </li>
        )}
        <li>
          <h2>Look at the demo</h2>
          <p className="soft">
            A finished study with simulated answers. There is none on this server yet: whoever runs
            the server loads it with <code>python manage.py load_demo</code>.
          </p>
        </li>
      </ol>
    </div>
  );
}
