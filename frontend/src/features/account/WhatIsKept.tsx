import { Trans } from "@lingui/react/macro";

/** What the server keeps about the person, and whom to ask for what they cannot do themselves. */
export function WhatIsKept() {
  return (
    <>
      <ul>
        <li>
          <Trans>
            Your address, name and language, when you accepted an invitation and what you agreed to.
          </Trans>
        </li>
        <li>
          <Trans>
            Your answers, with the time that each took, your reports of problems, and what a study
            asked you about yourself. Results and exports know experts by a number only, unless a
            study's admins export the names too.
          </Trans>
        </li>
        <li>
          <Trans>
            Where you are signed in and, for some time, from where somebody signed in or tried to.
          </Trans>
        </li>
      </ul>
      <p className="soft">
        <Trans>
          If you close your account, your name stays with your answers until it is erased. To have
          your name erased, or your answers too, write to the person who invited you: an admin of
          this server can do it at any time.
        </Trans>
      </p>
    </>
  );
}
