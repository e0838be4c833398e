"""What is wrong with a bundle, in a sentence."""

from annotations.ground.errors import HLVError


class BundleError(HLVError):
    """The archive is not a bundle, was damaged or changed, or is not safe to read."""

    code = "bad_bundle"
