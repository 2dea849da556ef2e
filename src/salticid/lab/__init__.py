"""The laboratory: crawls compared under equal budgets, judged by what they never see."""
