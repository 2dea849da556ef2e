"""What strategies and judges learn with: classifiers over word ids, small and exact."""
