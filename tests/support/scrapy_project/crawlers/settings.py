"""What a project has to say; what differs from run to run is on the command line."""

SPIDER_MODULES = ["crawlers.spiders"]
SCHEDULER = "salticid.scrapy.Scheduler"
ITEM_PIPELINES = {"crawlers.pipelines.Lines": 1}
HTTPERROR_ALLOW_ALL = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "WARNING"
