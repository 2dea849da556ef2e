"""The page in the browser and the server behind it: reads logs, sends commands to crawls, nothing else."""
