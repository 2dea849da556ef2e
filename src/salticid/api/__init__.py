"""The front door for programs; `import salticid` names what is here."""
