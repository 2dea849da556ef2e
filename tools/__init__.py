"""What those who build and publish Salticid run; none of it is installed with it."""
