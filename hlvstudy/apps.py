from django.apps import AppConfig


class HLVStudyConfig(AppConfig):
    name = "hlvstudy"
